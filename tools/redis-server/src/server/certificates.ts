import { generate } from 'selfsigned';

export interface Certificates {
  readonly cert: string;
  readonly key: string;
}

/** A fresh certificate for `host` that vouches for itself, in PEM. It is valid for a year. */
export async function makeCertificates(host: string): Promise<Certificates> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    curve: 'P-256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: host },
        ],
      },
    ],
  });
  return { cert, key };
}
