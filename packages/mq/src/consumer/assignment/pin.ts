/** A fixed part of a topic: the partitions with `partition % modulo === remainder`. */
export interface Pin {
  readonly modulo: number;
  readonly remainder: number;
}

export function accepts(pin: Pin | undefined, partition: number): boolean {
  return pin === undefined || partition % pin.modulo === pin.remainder;
}
