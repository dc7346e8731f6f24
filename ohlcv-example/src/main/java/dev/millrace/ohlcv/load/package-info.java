/**
 * The load scenario: one thread writes trades at a fixed rate, others ask for the last 24 hours of
 * a symbol meanwhile, and every answer is checked.
 *
 * <pre>
 *   command --a JVM per engine--> child --> run: writer, engine, queriers --> answer logs
 *                                                                              |
 *   report <--result-- checker <--every candle of every answer-- reference <---'  after the run
 * </pre>
 *
 * <p>Trades follow from the seed alone, so the {@link dev.millrace.ohlcv.load.Reference} makes them
 * once more and knows what each candle was after each trade. It shares no code with the engines.
 */
package dev.millrace.ohlcv.load;
