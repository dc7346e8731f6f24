package dev.millrace.simulator.litmus;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A shared variable of a litmus program, zero at first, accessed in each mode that there is. */
final class Variable {
  private static final VarHandle VALUE;

  static {
    try {
      VALUE = MethodHandles.lookup().findVarHandle(Variable.class, "value", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private int value;

  /** Calls a method of the handle by its name; the result is 0 if it has none. */
  int call(String method, int first, int second) {
    return switch (method) {
      case "get" -> value;
      case "getOpaque" -> (int) VALUE.getOpaque(this);
      case "getAcquire" -> (int) VALUE.getAcquire(this);
      case "getVolatile" -> (int) VALUE.getVolatile(this);
      case "getAndAdd" -> (int) VALUE.getAndAdd(this, first);
      case "getAndAddAcquire" -> (int) VALUE.getAndAddAcquire(this, first);
      case "getAndAddRelease" -> (int) VALUE.getAndAddRelease(this, first);
      case "getAndSet" -> (int) VALUE.getAndSet(this, first);
      case "getAndSetAcquire" -> (int) VALUE.getAndSetAcquire(this, first);
      case "getAndSetRelease" -> (int) VALUE.getAndSetRelease(this, first);
      case "compareAndExchange" -> (int) VALUE.compareAndExchange(this, first, second);
      case "compareAndExchangeAcquire" ->
          (int) VALUE.compareAndExchangeAcquire(this, first, second);
      case "compareAndExchangeRelease" ->
          (int) VALUE.compareAndExchangeRelease(this, first, second);
      case "compareAndSet" -> number(VALUE.compareAndSet(this, first, second));
      case "weakCompareAndSet" -> number(VALUE.weakCompareAndSet(this, first, second));
      case "weakCompareAndSetAcquire" ->
          number(VALUE.weakCompareAndSetAcquire(this, first, second));
      case "weakCompareAndSetRelease" ->
          number(VALUE.weakCompareAndSetRelease(this, first, second));
      case "weakCompareAndSetPlain" -> number(VALUE.weakCompareAndSetPlain(this, first, second));
      default -> {
        set(method, first);
        yield 0;
      }
    };
  }

  private void set(String method, int to) {
    switch (method) {
      case "set" -> value = to;
      case "setOpaque" -> VALUE.setOpaque(this, to);
      case "setRelease" -> VALUE.setRelease(this, to);
      case "setVolatile" -> VALUE.setVolatile(this, to);
      case "acquireFence" -> VarHandle.acquireFence();
      case "releaseFence" -> VarHandle.releaseFence();
      case "fullFence" -> VarHandle.fullFence();
      default -> throw new IllegalArgumentException("method must be known: method=" + method);
    }
  }

  private static int number(boolean succeeded) {
    return succeeded ? 1 : 0;
  }
}
