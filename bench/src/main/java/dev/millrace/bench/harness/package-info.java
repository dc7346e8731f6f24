/** What all commands that measure in JVMs of their own share. */
package dev.millrace.bench.harness;
