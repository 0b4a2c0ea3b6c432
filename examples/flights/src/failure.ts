/** Something that went wrong with the demo and not in it: its message is all there is to say. */
export class DemoFailure extends Error {}
