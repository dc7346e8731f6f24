package dev.millrace.simulator;

/** A class that no loader weaves. */
public final class Unwoven {
  /** A field that the simulation does not see. */
  public int field;

  private Unwoven() {}
}
