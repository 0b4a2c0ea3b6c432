/** Fails as functions of users do, with an error that the engines know nothing of. */
export function userError(message: string): TypeError {
  // eslint-disable-next-line rs/no-bare-error -- what users throw has no code
  return new TypeError(message);
}
