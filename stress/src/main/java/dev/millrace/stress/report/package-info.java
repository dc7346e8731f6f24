/** What the proofs found, and the page that says it. */
package dev.millrace.stress.report;
