/** Runs compiled Java code on a simulated memory that is as weak as Java's access modes allow. */
module dev.millrace.simulator {
  exports dev.millrace.simulator;
}
