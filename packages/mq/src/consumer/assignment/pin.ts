/** A fixed part of a topic: the partitions with `partition % modulo === remainder`. */
export interface Pin {
  readonly modulo: number;
  readonly remainder: number;
}

/** What a member says about which partitions it may get. */
export interface Acceptance {
  /** Without one it takes any partition. */
  readonly pin?: Pin | undefined;
  /** Partitions that it cannot take at the moment. */
  readonly unable?: readonly number[];
  /** How many it takes at most. Default: any number. */
  readonly max?: number;
}

export function accepts({ pin, unable }: Acceptance, partition: number): boolean {
  if (unable !== undefined && unable.includes(partition)) return false;
  return pin === undefined || partition % pin.modulo === pin.remainder;
}
