// The views of the page, in the order of the bar.
import { DataView } from "./data.js";
import { DecisionsView } from "./decisions.js";
import { ErrorsView } from "./errors.js";
import { ModelsView } from "./models.js";
import { RowView } from "./row.js";

const always = () => true;
const labelled = (session) => Boolean(session.journal);

export const VIEWS = [
  { id: "row", name: "Row", show: RowView, there: always },
  { id: "errors", name: "Errors", show: ErrorsView, there: labelled },
  { id: "decisions", name: "Decisions", show: DecisionsView, there: labelled },
  { id: "data", name: "Data and labels", show: DataView, there: labelled },
  { id: "models", name: "Two models", show: ModelsView, there: (session) => labelled(session) && session.models.length > 1 },
];
