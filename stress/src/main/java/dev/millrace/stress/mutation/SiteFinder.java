package dev.millrace.stress.mutation;

import dev.millrace.stress.mutation.AccessSite.Family;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Finds the ordering accesses of a method. */
final class SiteFinder {
  private static final ClassDesc VAR_HANDLE = ClassDesc.of("java.lang.invoke.VarHandle");
  private static final String ATOMICS = "java.util.concurrent.atomic";

  private final Set<String> accessors;
  private final Declarations declarations;

  SiteFinder(Set<String> accessors, Declarations declarations) {
    this.accessors = accessors;
    this.declarations = declarations;
  }

  Declarations declarations() {
    return declarations;
  }

  /** The sites by their index among the code's elements. */
  SortedMap<Integer, AccessSite> sites(MethodCode code) {
    SortedMap<Integer, AccessSite> sites = new TreeMap<>();
    ReceiverNames names = new ReceiverNames(code);
    for (int i = 0; i < code.size(); i++) {
      int index = i;
      site(code, index, names).ifPresent(site -> sites.put(index, site));
    }
    return sites;
  }

  private Optional<AccessSite> site(MethodCode code, int index, ReceiverNames names) {
    CodeElement element = code.element(index);
    if (element instanceof InvokeInstruction call) {
      ClassDesc owner = call.owner().asSymbol();
      String name = call.name().stringValue();
      String receiver = names.receiver(index).orElse(AccessSite.simpleName(owner));
      return family(owner, call.opcode())
          .flatMap(family -> site(code, index, family, owner, name, receiver + "." + name));
    }
    if (element instanceof FieldInstruction field
        && declarations.hasFlag(field.field(), AccessFlag.VOLATILE)) {
      String name = isRead(field) ? "get" : "set";
      ClassDesc owner = field.owner().asSymbol();
      String text = field.name().stringValue() + (isRead(field) ? " read" : " write");
      return site(code, index, Family.FIELD, owner, name, text);
    }
    return Optional.empty();
  }

  private Optional<Family> family(ClassDesc owner, Opcode opcode) {
    boolean isStatic = opcode == Opcode.INVOKESTATIC;
    if (owner.equals(VAR_HANDLE)) {
      return Optional.of(isStatic ? Family.FENCE : Family.VAR_HANDLE);
    }
    if (isStatic || owner.isArray()) {
      return Optional.empty();
    }
    if (accessors.contains(owner.packageName() + "." + owner.displayName())) {
      return Optional.of(Family.ACCESSOR);
    }
    return owner.packageName().equals(ATOMICS) ? Optional.of(Family.ATOMIC) : Optional.empty();
  }

  private static Optional<AccessSite> site(
      MethodCode code, int index, Family family, ClassDesc owner, String name, String text) {
    return AccessNames.meaning(family, name)
        .map(
            meaning ->
                new AccessSite(
                    code.owner().thisClass().asSymbol(),
                    code.method().methodName().stringValue(),
                    index,
                    code.line(index),
                    family,
                    owner,
                    name,
                    meaning.operation(),
                    meaning.mode(),
                    text));
  }

  private static boolean isRead(FieldInstruction field) {
    return field.opcode() == Opcode.GETFIELD || field.opcode() == Opcode.GETSTATIC;
  }
}
