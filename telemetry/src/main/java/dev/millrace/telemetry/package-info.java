/** Lossy lock-free logs and counters. Holds no types yet. */
package dev.millrace.telemetry;
