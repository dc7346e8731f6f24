/** What the packages of this module share; not exported. */
package dev.millrace.queues.internal;
