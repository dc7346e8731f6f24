/** The charts and tables of docs/BENCHMARKS.md, made of the published figures. */
package dev.millrace.bench.charts;
