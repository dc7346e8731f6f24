package dev.millrace.stress.scenario;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Tells another thread, by release and acquire, that what was done before is done. */
final class Flag {
  private static final VarHandle RAISED;

  static {
    try {
      RAISED = MethodHandles.lookup().findVarHandle(Flag.class, "raised", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through RAISED
  private boolean raised;

  void raise() {
    RAISED.setRelease(this, true);
  }

  boolean isRaised() {
    return (boolean) RAISED.getAcquire(this);
  }

  void await() {
    while (!isRaised()) {
      Thread.onSpinWait();
    }
  }

  /** Tells that this is done, but orders nothing that was done before. */
  void hint() {
    RAISED.setOpaque(this, true);
  }

  void awaitHint() {
    while (!(boolean) RAISED.getOpaque(this)) {
      Thread.onSpinWait();
    }
  }

  /** A plain variable, whose accesses must be ordered by something else. */
  static final class Plain {
    private boolean set;

    void set() {
      set = true;
    }

    boolean isSet() {
      return set;
    }
  }
}
