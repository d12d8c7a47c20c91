import type { Faq, LegalName } from '@/lib/api/types';

/** The texts that the law or the business asks for. */
export const LEGAL_NAMES = ['imprint', 'terms', 'privacy', 'fees'] as const satisfies readonly LegalName[];

export const TOPIC_MAX = 200;
export const CONTENT_MAX = 5000;
export const IMAGES_MAX = 3;

export type FeedbackValues = { topic: string; content: string };
export type FeedbackError = 'topic_required' | 'content_required';

export function checkFeedback({ topic, content }: FeedbackValues): {
  [K in keyof FeedbackValues]?: FeedbackError | undefined;
} {
  return {
    topic: topic.trim() === '' ? 'topic_required' : undefined,
    content: content.trim() === '' ? 'content_required' : undefined,
  };
}

/** Whether all pictures have been uploaded. */
export function picturesState(states: readonly string[]): 'ready' | 'pending' | 'failed' {
  if (states.includes('failed')) return 'failed';
  return states.includes('uploading') ? 'pending' : 'ready';
}

/** The part of the form that a server error belongs to. `images[0]` is one of the pictures. */
export function feedbackFieldOf(field: string | null): keyof FeedbackValues | 'images' | null {
  if (field === 'topic' || field === 'content') return field;
  return field?.startsWith('images') ? 'images' : null;
}

export type Neighbours = { index: number; faq: Faq; previous: Faq | null; next: Faq | null };

/** A question with its neighbours; null for an unknown id. */
export function questionOf(questions: readonly Faq[], id: string | null): Neighbours | null {
  const index = questions.findIndex((question) => question.id === id);
  const faq = questions[index];
  if (!faq) return null;
  return { index, faq, previous: questions[index - 1] ?? null, next: questions[index + 1] ?? null };
}
