/** What an error says, whatever was thrown: users throw texts, plain objects, and objects that no text can be made of. */
export function errorReason(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return `a thrown ${typeof error}`;
  }
}
