/** Lossy lock-free logs and counters. */
package dev.millrace.telemetry;
