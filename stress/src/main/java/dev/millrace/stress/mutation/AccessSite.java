package dev.millrace.stress.mutation;

import java.lang.constant.ClassDesc;

/**
 * A place in a class file where a shared variable is accessed in a named mode, or a fence stands.
 *
 * @param type the class that the access stands in
 * @param method the name of its method
 * @param index the number of the instruction among the method's code elements
 * @param line the source line, or 0 if the class file does not tell
 * @param family by what means it accesses
 * @param owner the class whose method is called, or whose field is accessed
 * @param name the method that is called, or {@code get} or {@code set} of a field
 * @param operation what it does
 * @param mode how it is ordered
 * @param text what stands there, for readers, such as {@code tail.setRelease}
 */
public record AccessSite(
    ClassDesc type,
    String method,
    int index,
    int line,
    Family family,
    ClassDesc owner,
    String name,
    Operation operation,
    Mode mode,
    String text) {

  /** By what means a variable is accessed. */
  public enum Family {
    /** A method of {@link java.lang.invoke.VarHandle} whose signature is polymorphic. */
    VAR_HANDLE,
    /** A static fence of {@link java.lang.invoke.VarHandle}. */
    FENCE,
    /** A method of a class whose methods are the modes themselves. */
    ACCESSOR,
    /** A method of a class in {@link java.util.concurrent.atomic}. */
    ATOMIC,
    /** An instruction that accesses a volatile field. */
    FIELD
  }

  /** What an access does. */
  public enum Operation {
    /** It reads. */
    READ,
    /** It writes. */
    WRITE,
    /** It reads and writes in one step, always or on a condition. */
    UPDATE,
    /** It accesses nothing, but orders what is before and behind it. */
    FENCE
  }

  /** How an access is ordered; for fences, which half they are. */
  public enum Mode {
    /** Not at all. */
    PLAIN,
    /** Only with accesses of the same variable. */
    OPAQUE,
    /** Before all that follows. */
    ACQUIRE,
    /** After all that comes before. */
    RELEASE,
    /** Both, and totally among its kind. */
    VOLATILE
  }

  /**
   * The class's name as one writes it in its package.
   *
   * @return such as {@code HistoryRing.Reader}
   */
  public String typeName() {
    return simpleName(type);
  }

  static String simpleName(ClassDesc type) {
    String name = type.displayName().replace('$', '.');
    String last = type.packageName().substring(type.packageName().lastIndexOf('.') + 1);
    return last.equals("ends") ? last + "." + name : name; // queues has a type of that name too
  }
}
