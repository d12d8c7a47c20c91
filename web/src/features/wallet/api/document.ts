import { commonHeaders } from '@/lib/api/call';
import { ApiError, NETWORK } from '@/lib/api/error';
import { readEnvelope } from '@/lib/api/transport';

/** How long the server may take to draw up a document. */
const DOCUMENT_TIMEOUT_MS = 60_000;

/** A month's statement as PDF. Apart from the other calls, which read texts: the first page does not need this one. */
export async function loadDocument(month: string): Promise<Blob> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), DOCUMENT_TIMEOUT_MS);
  try {
    const response = await fetch(`/api/transaction_flow/statement/pdf?month=${month}`, {
      headers: commonHeaders(),
      signal: controller.signal,
      credentials: 'omit',
    });
    const isFile = response.ok && response.headers.get('Content-Type') === 'application/pdf';
    return isFile ? await response.blob() : readEnvelope<never>(response, await response.text());
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError(0, '', { reason: NETWORK });
  } finally {
    clearTimeout(timer);
  }
}
