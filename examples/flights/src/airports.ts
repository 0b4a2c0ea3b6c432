import { parse } from 'csv-parse/sync';
import { readDataset } from './dataset.ts';

/** Names of airports by their IATA code. */
export type AirportNames = ReadonlyMap<string, string>;

export async function loadAirportNames(): Promise<AirportNames> {
  return parseAirportNames(await readDataset('airports.csv'));
}

export function parseAirportNames(csv: string): AirportNames {
  const rows = parse<{ iata: string; name: string }>(csv, { columns: true });
  return new Map(rows.map(({ iata, name }) => [iata, name]));
}
