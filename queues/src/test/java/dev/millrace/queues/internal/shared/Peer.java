package dev.millrace.queues.internal.shared;

import dev.millrace.testkit.OtherJvm;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Another process that takes part in a file, as it is told. */
final class Peer implements AutoCloseable {
  /** The ring of all tests: two sole roles, a setting, and a layout. */
  static final RingSpec SPEC =
      new RingSpec("test", new TreeMap<>(Map.of("cells", 64L)), 2, 200, 1_000, "cells");

  private final Process process;
  private final BufferedWriter commands;
  private final BufferedReader answers;

  private Peer(Process process) {
    this.process = process;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Starts one, by a command that runs the command behind it. */
  static Peer start(String... launcher) throws IOException {
    List<String> command = new ArrayList<>(List.of(launcher));
    ProcessBuilder jvm = OtherJvm.of(Program.class);
    command.addAll(jvm.command());
    return new Peer(jvm.command(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  long pid() {
    return process.pid();
  }

  /** Tells it what to do; returns what came of it, an exception's class and message perhaps. */
  String tell(String command, Object... arguments) throws IOException {
    begin(command, arguments);
    return end();
  }

  void begin(String command, Object... arguments) throws IOException {
    StringBuilder line = new StringBuilder(command);
    for (Object argument : arguments) {
      line.append(' ').append(argument);
    }
    commands.write(line.append('\n').toString());
    commands.flush();
  }

  String end() throws IOException {
    return answers.readLine();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly();
    awaitEnd();
  }

  void awaitEnd() throws InterruptedException {
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("has not ended: " + process);
    }
  }

  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, "" + pid()).start().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** What it runs. */
  static final class Program {
    private static SharedFile file;
    private static Participants participants;
    private static Participant participant;
    private static boolean haltsInBurial;
    private static int burials;

    private Program() {}

    public static void main(String[] args) throws IOException {
      BufferedReader commands =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line; (line = commands.readLine()) != null; ) {
        String answer;
        try {
          answer = String.valueOf(run(line.split(" ", -1)));
        } catch (IOException | RuntimeException e) {
          answer = e.getClass().getSimpleName() + ": " + e.getMessage();
        }
        System.out.println(answer);
      }
    }

    private static Object run(String... words) throws IOException {
      return switch (words[0]) {
        case "attach" -> attached(SharedFile.attach(Path.of(words[1]), _ -> SPEC));
        case "createOrAttach" -> {
          Path path = Path.of(words[1]);
          yield attached(
              SharedFile.createOrAttach(
                  path,
                  SPEC,
                  FileOptions.defaults(),
                  memory -> memory.set(ValueLayout.JAVA_LONG, 0, 2)));
        }
        case "inPlace" -> file.isInPlace();
        case "first" -> file.memory().get(ValueLayout.JAVA_LONG, 0);
        case "enter" -> {
          participant = participants.enter(Role.PRODUCER, "peer");
          yield participant.entry();
        }
        case "sole" -> {
          participant = participants.enterSole(Integer.parseInt(words[1]), Role.PRODUCER, "peer");
          yield participant.entry();
        }
        case "declare" -> participant.declare(Long.parseLong(words[1]), Long.parseLong(words[2]));
        case "check" -> {
          participant.check();
          yield "ok";
        }
        case "leave" -> {
          participant.leave();
          yield burials;
        }
        case "fate" -> participants.fateOf(Long.parseLong(words[1]), false);
        case "bury" -> participants.buryDead();
        case "haltInBurial" -> {
          haltsInBurial = true;
          yield "ok";
        }
        case "copy" -> Files.copy(file.path(), Path.of(words[1]));
        case "closeAndRemove" -> file.close(true);
        case "close" -> {
          file.close();
          yield "ok";
        }
        default -> throw new IllegalArgumentException(words[0]);
      };
    }

    private static String attached(SharedFile attached) {
      file = attached;
      participants = file.participants(Program::recover);
      return "ok";
    }

    private static boolean recover(int entry, Role role) {
      if (haltsInBurial) {
        Runtime.getRuntime().halt(9);
      }
      burials++;
      return true;
    }
  }
}
