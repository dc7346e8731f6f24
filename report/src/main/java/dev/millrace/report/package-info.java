/**
 * What the pages of results share: their style, the macros of their tables, how they are written.
 */
package dev.millrace.report;
