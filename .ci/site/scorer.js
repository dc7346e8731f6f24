// Pages with the words in a heading come before pages that merely have them, and guides before the record.
var Scorer = {
  score: ([page, , anchor, , score]) => (!anchor && /DECISIONS|CHANGELOG|PROOF-REPORT/.test(page) ? score - 3 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 40,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
