package dev.millrace.queues.log;

import java.io.IOException;

/** Readers without a name, of the log and of its directory. */
class LogReaderTest extends LogReaderContract {
  @Override
  LogReader newReader(boolean isOfLog) throws IOException {
    return isOfLog ? log.newReader() : LogReader.open(directory);
  }

  @Override
  long startAgain(boolean isOfLog, long next, long released) throws IOException {
    reader.close();
    reader = newReader(isOfLog);
    return 0;
  }
}
