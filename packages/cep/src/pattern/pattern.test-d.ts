/** What the pattern language infers, and what its types refuse. */
import type { Match } from '../matcher/match.ts';
import type { PatternMatcher } from '../matcher/pattern-matcher.ts';
import { Pattern } from './pattern.ts';

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** Compiles only where the two types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['the types differ']): void {}

interface Login {
  readonly type: 'login';
  readonly user: string;
}
interface Payment {
  readonly type: 'payment';
  readonly amount: number;
}
type Action = Login | Payment;

const isPayment = (action: Action): action is Payment => action.type === 'payment';

export function names(match: Match<Action, { start: Action; pay: Payment }>): void {
  const pattern = Pattern.begin('start', (a: Action) => a.type.length > 0)
    .next('pay', isPayment)
    .times(2)
    .followedBy('any');
  same<typeof pattern, Pattern<Action, { start: Action; pay: Payment; any: Action }, 'any'>>();

  same<typeof match.events.start, readonly Action[]>();
  same<typeof match.events.pay, readonly Payment[]>();
  same<typeof match.sequence, readonly Action[]>();
  // @ts-expect-error no such stage
  void match.events.other;
}

export function typeOfEventsFirst(): void {
  const pattern = Pattern.of<Action>()
    .begin('a', isPayment)
    .followedByAny('b', (action) => action.type === 'login');
  same<
    ReturnType<PatternMatcher<Action, { a: Payment; b: Login }>['process']>[number]['events']['a'],
    readonly Payment[]
  >();
  // TypeScript sees that the arrow function is a guard.
  same<typeof pattern, Pattern<Action, { a: Payment; b: Login }, 'b'>>();
}

export function conditionsSeeWhatIsBound(): void {
  Pattern.of<Action>()
    .begin('first', isPayment)
    .followedBy('more', (action, context) => {
      same<typeof context.events.first, readonly Payment[]>();
      same<typeof context.events.more, readonly Action[]>();
      // @ts-expect-error no such stage
      void context.last('later');
      return isPayment(action) && action.amount > (context.last('first')?.amount ?? 0);
    })
    .notFollowedBy((action, context) => action.type === 'login' && context.events.more.length > 2);
}

export function whereAndOr(): void {
  const start = Pattern.of<Action>().begin('a');
  same<typeof start, Pattern<Action, { a: Action }, 'a'>>();
  const narrowed = start.where(isPayment).where((payment) => payment.amount > 10);
  same<typeof narrowed, Pattern<Action, { a: Payment }, 'a'>>();
  const widened = narrowed.or((action) => action.type === 'login' && action.user === 'root');
  same<typeof widened, Pattern<Action, { a: Action }, 'a'>>();
}

export function groups(): void {
  const group = Pattern.of<Action>().begin('x', isPayment).next('y');
  const pattern = Pattern.of<Action>().begin('a').followedBy(group).oneOrMore();
  same<typeof pattern, Pattern<Action, { a: Action; x: Payment; y: Action }>>();
  const first = Pattern.begin(group).times(2).next('b');
  same<typeof first, Pattern<Action, { x: Payment; y: Action; b: Action }, 'b'>>();
  // @ts-expect-error 'y' is in the group
  void (() => Pattern.of<Action>().begin('y').followedBy(group));
}

export function refused(): void {
  const pattern = Pattern.of<Action>().begin('a');
  // @ts-expect-error the name is taken
  void (() => pattern.next('a'));
  // @ts-expect-error the name is taken
  void (() => pattern.followedBy('a', isPayment));
  // @ts-expect-error no such stage
  void (() => pattern.skipToFirst('b'));
  // @ts-expect-error not an event of this pattern
  void (() => pattern.next('b', (text: string) => text === ''));
}
