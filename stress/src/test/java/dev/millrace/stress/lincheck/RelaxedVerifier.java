package dev.millrace.stress.lincheck;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.execution.HBClock;
import org.jetbrains.kotlinx.lincheck.execution.ResultWithClock;
import org.jetbrains.kotlinx.lincheck.util.ExceptionResult;
import org.jetbrains.kotlinx.lincheck.util.LincheckResult;
import org.jetbrains.kotlinx.lincheck.util.ValueResult;
import org.jetbrains.kotlinx.lincheck.util.VoidResult;
import org.jetbrains.lincheck.datastructures.verifier.CachedVerifier;

/**
 * Decides whether a specification allows what Lincheck observed, where no sequential class can say
 * what is right: because an operation may have several results in the same state, or because it
 * takes effect in several steps, between which others take theirs.
 *
 * <p>The specification is a function: given a state and a call, which steps are possible. The
 * observed results are allowed if some order of steps leads to all of them. An operation takes its
 * steps in order, all of them after the operations that had returned before it was called, and
 * before those that were called after it returned.
 *
 * <p>An operation in one step, with one possible outcome per state, is what linearizability asks
 * for. A queue that may give one of its two oldest records has two possible steps in its poll; a
 * writer that takes its place first and publishes later takes two.
 *
 * @param <S> the state: immutable, with {@code equals} and {@code hashCode}
 */
abstract class RelaxedVerifier<S> extends CachedVerifier {
  /*
   * A depth-first search over the orders of steps, which remembers the positions that it has
   * given up: how far each thread is, what its call under way knows, and the state. Lincheck's
   * clocks say how many operations of each thread had returned when an operation began.
   */

  /**
   * A call, and what Lincheck saw of it.
   *
   * @param thread the thread's number, from 0
   * @param name the operation's name
   * @param arguments its arguments
   * @param result what it returned; null if it is void, the class if it threw an exception
   * @param alone whether no operation of another thread overlapped it
   */
  record Call(int thread, String name, List<Object> arguments, Object result, boolean alone) {
    long longArgument(int index) {
      return ((Number) arguments.get(index)).longValue();
    }

    int intArgument(int index) {
      return ((Number) arguments.get(index)).intValue();
    }
  }

  /**
   * A possible step.
   *
   * @param <S> the state
   * @param state the state after it
   * @param next what the call knows for its next step, with {@code equals} and {@code hashCode};
   *     null if this was its last
   */
  record Step<S>(S state, Object next) {
    /** The last step of a call. */
    static <S> Step<S> last(S state) {
      return new Step<>(state, null);
    }

    /** A step after which the call takes more. */
    static <S> Step<S> then(S state, Object next) {
      return new Step<>(state, next);
    }
  }

  /** The last step of a call, if it is possible. */
  static <S> List<Step<S>> lastIf(boolean isPossible, S after) {
    return isPossible ? List.of(Step.last(after)) : List.of();
  }

  /** The state before all operations. */
  abstract S initial();

  /**
   * The steps that a call may take.
   *
   * @param state the state
   * @param call the call; a last step is possible only if it fits the call's result
   * @param known null at the call's first step, later what the step before left
   * @return all possible steps, none if there is none
   */
  abstract List<Step<S>> steps(S state, Call call, Object known);

  @Override
  public boolean verifyResultsImpl(ExecutionScenario scenario, ExecutionResult result) {
    List<Progress> begin = Collections.nCopies(scenario.getNThreads(), new Progress(0, null));
    return new Search(scenario, result).leadsToAll(new Position<>(begin, initial()));
  }

  /** How many calls of a thread have returned, and what its call under way knows. */
  private record Progress(int returned, Object known) {}

  private record Position<S>(List<Progress> threads, S state) {
    Position<S> after(int thread, Step<S> step) {
      List<Progress> now = new ArrayList<>(threads);
      int returned = threads.get(thread).returned() + (step.next() == null ? 1 : 0);
      now.set(thread, new Progress(returned, step.next()));
      return new Position<>(List.copyOf(now), step.state());
    }
  }

  private final class Search {
    private final List<List<Call>> calls = new ArrayList<>();
    private final List<List<ResultWithClock>> results;
    private final Set<Position<S>> givenUp = new HashSet<>();

    Search(ExecutionScenario scenario, ExecutionResult result) {
      results = result.getThreadsResultsWithClock();
      for (int thread = 0; thread < scenario.getNThreads(); thread++) {
        List<Actor> actors = scenario.getThreads().get(thread);
        List<Call> ofThread = new ArrayList<>();
        for (int index = 0; index < actors.size(); index++) {
          Actor actor = actors.get(index);
          ofThread.add(
              new Call(
                  thread,
                  actor.getMethod().getName(),
                  List.copyOf(actor.getArguments()),
                  observed(results.get(thread).get(index).getResult()),
                  isAlone(thread, index)));
        }
        calls.add(ofThread);
      }
    }

    private static Object observed(LincheckResult result) {
      return switch (result) {
        case ValueResult value -> value.getValue();
        case VoidResult _ -> null;
        case ExceptionResult thrown -> thrown.getThrowable().getClass();
        default -> throw new IllegalStateException("result must be known: result=" + result);
      };
    }

    /** Whether each call of the other threads returned before this one began, or the reverse. */
    private boolean isAlone(int thread, int index) {
      HBClock begin = results.get(thread).get(index).getClockOnStart();
      for (int other = 0; other < results.size(); other++) {
        List<ResultWithClock> ofOther = results.get(other);
        if (other != thread
            && begin.get(other) < ofOther.size()
            && ofOther.get(begin.get(other)).getClockOnStart().get(thread) <= index) {
          return false;
        }
      }
      return true;
    }

    boolean leadsToAll(Position<S> position) {
      if (!givenUp.add(position)) {
        return false;
      }
      boolean allReturned = true;
      for (int thread = 0; thread < calls.size(); thread++) {
        int index = position.threads().get(thread).returned();
        if (index == calls.get(thread).size()) {
          continue;
        }
        allReturned = false;
        if (mayRun(position, thread, index)) {
          Call call = calls.get(thread).get(index);
          Object known = position.threads().get(thread).known();
          for (Step<S> step : steps(position.state(), call, known)) {
            if (leadsToAll(position.after(thread, step))) {
              return true;
            }
          }
        }
      }
      return allReturned;
    }

    /** Whether all calls that had returned before this one began have returned in this search. */
    private boolean mayRun(Position<S> position, int thread, int index) {
      HBClock begin = results.get(thread).get(index).getClockOnStart();
      for (int other = 0; other < calls.size(); other++) {
        if (position.threads().get(other).returned() < begin.get(other)) {
          return false;
        }
      }
      return true;
    }
  }
}
