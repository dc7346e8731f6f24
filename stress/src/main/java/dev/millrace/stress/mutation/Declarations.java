package dev.millrace.stress.mutation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The members that the class under mutation refers to, read from class files. */
final class Declarations {
  private final ClassLoader loader;
  private final Map<String, Optional<ClassModel>> models = new HashMap<>();

  Declarations(ClassLoader loader) {
    this.loader = loader;
  }

  /** Prefers this class to what the loader has by its name. */
  void add(ClassModel model) {
    models.put(model.thisClass().asInternalName(), Optional.of(model));
  }

  /** Whether a field is declared with a flag; an unknown field has none. */
  boolean hasFlag(MemberRefEntry reference, AccessFlag flag) {
    return find(
            reference.owner().asInternalName(),
            model ->
                model.fields().stream()
                    .filter(field -> field.fieldName().equals(reference.name()))
                    .filter(field -> field.fieldType().equals(reference.type()))
                    .findFirst())
        .filter(field -> field.flags().has(flag))
        .isPresent();
  }

  /** The method that a class, or one above it, declares. */
  Optional<MethodModel> method(String owner, String name, String descriptor) {
    return find(
        owner,
        model ->
            model.methods().stream()
                .filter(method -> method.methodName().equalsString(name))
                .filter(method -> method.methodType().equalsString(descriptor))
                .findFirst());
  }

  private <T> Optional<T> find(String owner, Function<ClassModel, Optional<T>> member) {
    return models
        .computeIfAbsent(owner, this::read)
        .flatMap(
            model ->
                member
                    .apply(model)
                    .or(
                        () ->
                            model
                                .superclass()
                                .flatMap(above -> find(above.asInternalName(), member))));
  }

  private Optional<ClassModel> read(String internalName) {
    try (InputStream in = loader.getResourceAsStream(internalName + ".class")) {
      return in == null ? Optional.empty() : Optional.of(ClassFile.of().parse(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException("class must be readable: class=" + internalName, e);
    }
  }
}
