/** The tables in telemetry memory, and access for the proofs of this module. Not exported. */
package dev.millrace.telemetry.internal;
