/**
 * What results share: the pages' style and macros and how pages are written, ratios and their
 * intervals, what a run ran on.
 */
package dev.millrace.report;
