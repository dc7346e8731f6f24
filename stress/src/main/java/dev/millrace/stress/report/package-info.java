/** What the proofs found, as files, and the pages that show it. */
package dev.millrace.stress.report;
