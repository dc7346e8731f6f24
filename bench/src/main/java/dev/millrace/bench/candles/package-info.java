/**
 * Engines of candles under load: one thread writes trades, others query the last 24 hours of a
 * symbol meanwhile, and every answer is checked.
 *
 * <pre>
 *   command --a JVM per run--> run: writer, engine, queriers --> answer logs
 *                                                                     |
 *   tables <--result-- checker <--every candle of every answer-- reference  after the run
 * </pre>
 *
 * <p>Trades follow from the seed alone, so the {@link dev.millrace.bench.candles.Reference} makes
 * them once more and knows what each candle was after each trade. It shares no code with the
 * engines: those of the example, and the article's, which is here.
 */
package dev.millrace.bench.candles;
