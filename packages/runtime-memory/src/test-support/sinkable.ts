/** A stream of anything, as far as a sink is concerned. */
export interface Sinkable {
  addSink(sink: (value: unknown) => void): unknown;
}
