import type { Invocation } from './invocation.ts'

/** QR codes of texts, if the user asked for them with `--qr`. */
export async function qrCodes(texts: readonly string[], { values }: Invocation): Promise<string[]> {
  if (!values.has('qr')) return []
  const { qrText } = await import('./qr.ts')
  return texts.map((text) => `${text.length > 80 ? 'signing request' : text}\n${qrText(text)}`)
}
