/** Long runs in which every record is checked and accounted for. */
package dev.millrace.stress;
