/** The tables in telemetry's memory, and what the proofs of this module reach; not exported. */
package dev.millrace.telemetry.internal;
