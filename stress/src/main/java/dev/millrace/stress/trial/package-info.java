/** What the trials under Lincheck and jcstress have in common: a record, and a ring of records. */
package dev.millrace.stress.trial;
