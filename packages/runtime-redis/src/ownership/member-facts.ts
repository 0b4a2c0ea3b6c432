/** Partitions by task. */
export type Shares = Readonly<Record<string, readonly number[]>>;

/** What a member of a job says of itself. */
export interface MemberFacts {
  readonly owned: Shares;
  /** Partitions that it cannot take at the moment. */
  readonly unable: Shares;
  /** Partitions of a task that it takes at most; left out for any number. */
  readonly max?: number;
}

export function writeFacts({ owned, unable, max }: MemberFacts): string {
  return JSON.stringify({ owned: filled(owned), unable: filled(unable), max });
}

/** Members of another version may say more or less: what cannot be read counts as nothing owned. */
export function readFacts(text: string): MemberFacts {
  try {
    const { owned, unable, max } = JSON.parse(text) as { owned?: unknown; unable?: unknown; max?: unknown };
    const most = typeof max === 'number' ? { max } : {};
    return { owned: sharesOf(owned), unable: sharesOf(unable), ...most };
  } catch {
    return { owned: {}, unable: {} };
  }
}

function filled(shares: Shares): Shares {
  return Object.fromEntries(Object.entries(shares).filter(([, partitions]) => partitions.length > 0));
}

function sharesOf(value: unknown): Shares {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).map(([task, partitions]) => [
      task,
      Array.isArray(partitions) ? numbers(partitions) : [],
    ]),
  );
}

function numbers(values: readonly unknown[]): readonly number[] {
  return values.filter((each): each is number => Number.isSafeInteger(each));
}
