package dev.millrace.stress.mutation;

import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * A bug that can be planted.
 *
 * @param type the class that it is planted in
 * @param method the name of its method
 * @param descriptor the method's descriptor
 * @param index the number of the instruction among the method's code elements
 * @param line the source line, or 0 if the class file does not tell
 * @param access what stands there, such as {@code STAMP.setRelease}
 * @param operator what is done to it, such as {@code weaken to opaque}
 * @param ordering whether it weakens an ordering, rather than the logic
 * @param number which one it is of those that read alike, from 1
 */
public record Mutation(
    ClassDesc type,
    String method,
    MethodTypeDesc descriptor,
    int index,
    int line,
    String access,
    String operator,
    boolean ordering,
    int number) {

  /**
   * What names the bug, no other of its class, and the same one as long as the source is the same.
   *
   * @return such as {@code SpscQueue.commit:236 STAMP.setRelease weaken to opaque}
   */
  public String id() {
    return reading() + (number == 1 ? "" : " #" + number);
  }

  /** The id but for the number. */
  String reading() {
    return typeName() + "." + method + ":" + line + " " + access + " " + operator;
  }

  /**
   * The class's name as one writes it in its package.
   *
   * @return such as {@code HistoryRing.Reader}
   */
  public String typeName() {
    return AccessSite.simpleName(type);
  }

  Mutation numbered(int newNumber) {
    return new Mutation(
        type, method, descriptor, index, line, access, operator, ordering, newNumber);
  }

  @Override
  public String toString() {
    return id();
  }
}
