/**
 * Plants bugs in compiled classes: finds the accesses whose ordering matters, and makes class files
 * in which one of them is weaker, missing, torn apart or in the wrong place.
 */
package dev.millrace.stress.mutation;
