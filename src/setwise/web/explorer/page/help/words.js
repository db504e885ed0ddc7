// Every number of the page in plain words.
export const TIPS = {
  "view-row": "One row: what the model expects, and how that changes when you say what you know.",
  "view-errors": "Rows whose given labels look wrong, one after another, to correct or keep.",
  "view-decisions": "Which set to answer: choose what a mistake costs, when to abstain, and rules that answers obey.",
  "view-data": "How often labels occur and go together, slices of the rows, and whether probabilities can be trusted.",
  "view-models": "Where two models disagree, and which one is right.",
  judging:
    "Models of the same kind are fitted several times, each without some of the rows. They judge the rows that they have not seen, so what you read as measured is not flattered by memory.",
  labels:
    "The probability that each label is on. Click to say that it is on or off: all other numbers follow. The thin mark shows the probability before.",
  sets: "The most probable whole sets of labels. The probability is that of exactly this set: these labels and no others.",
  cumulative: "The probability that the right set is this one or one above it.",
  certified: "The search has proved that no other set is more probable.",
  "not-certified":
    "The search stopped before it could prove that no other set is more probable. The answer is most often right.",
  cut: "On rows that the models had not seen, 90 % of the given sets were at least as probable as the sets above this line.",
  sizes: "The probability of each number of labels.",
  structure:
    "The strongest links between labels in this row. If you learn one label, its neighbours move. Blue: they go together. Red, dashed: one makes the other less likely.",
  components:
    "A mixture is a panel of simple models. The weight says how much each one counts for this row. With what you said you know, the weights move towards those that expected it.",
  question:
    "The label whose value would tell most about the whole set. The best set is then expected to be this probable, whatever the answer turns out to be.",
  evidence: "How probable the model found what you said you know, before you said it.",
  given: "The label is in the given set of this row.",
  values: "What is written in the row. Change a value to see what moves; nothing is saved.",
  explain:
    "How much each word or column speaks for (right) or against (left) this label or set in this row, in the model's own units of log-odds.",
  score: "How much more probable the labels would be with one of them flipped (logarithm). The larger, the more suspicious.",
  wrong: "The probability that this given label is wrong if the others are right, by a model that has not seen the row.",
  "probability-given": "The probability of the set as it was given, by a model that has not seen the row.",
  "probability-suggested": "The probability of the suggested set, by a model that has not seen the row.",
  "stopping-hint":
    "The sum of the models' probabilities that the next rows need a change, scaled by how often you agreed with them so far.",
  loss: "What you lose by a wrong answer. The best answer for a loss is the one with the smallest expected loss, and it differs from loss to loss.",
  beta: "How much more a missing label weighs than a wrong one.",
  costs: "Costs in any unit you like: only their ratio decides which labels are answered.",
  "expected-loss": "What the model expects to lose per row with these answers, without looking at the given labels.",
  "measured-loss": "What the answers lose per row against the given labels. If it is close to the expected loss, the probabilities can be trusted.",
  answered: "The share of rows that get an answer; the others are left to a person.",
  "answer-size": "Labels of an answer, on average.",
  "answer-scores": "Against the given labels, on the rows that get an answer. Exact match: the whole set is right. Label accuracy: the share of labels that are right.",
  price: "How much larger the measured loss is than without the rules. Below zero the rules help.",
  abstain: "Answer the surest rows only and leave the others to a person. The curve shows how good the answers are for each share of rows.",
  rules: "Answers obey the rules; the probabilities stay as they are.",
  changed: "Rows whose answer differs from the one without rules and abstention, or from the most probable set. Green: added, red: removed.",
  frequencies: "The share of rows that have each label.",
  "set-sizes": "How many rows have how many labels.",
  "frequent-sets": "The sets that occur most often, with their numbers of rows. Click one to see these rows.",
  pairs: "Above the diagonal: correlation of two labels in the data. Below it: what is left once each label's probability given the row is taken into account. What is left below is what label-by-label models miss.",
  reliability: "Rows are grouped by the probability of the predicted set. On the line, sets are right as often as the model says. Bars are 95 % intervals. Click a point to see its rows.",
  slice: "Rows that satisfy all conditions. Scores are those of models that have not seen the rows, with 95 % intervals.",
  disagreement: "Rows for which the two models predict different sets. At stake: how much more probable each model finds its own set than the other's, added up.",
  significance: "The p-value: how often a difference of this size would appear by chance if both models were equally good. Below 0.05 it is usually taken seriously.",
  saved: "Every decision is written to the journal on your disk before it is shown as saved.",
};
