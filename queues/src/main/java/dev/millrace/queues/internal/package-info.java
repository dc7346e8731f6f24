/** What the packages of this module share. Not exported. */
package dev.millrace.queues.internal;
