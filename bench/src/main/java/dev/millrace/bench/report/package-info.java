/**
 * The report of the side-by-side: what it says, and the files that say it. It knows nothing of how
 * samples come about.
 */
package dev.millrace.bench.report;
