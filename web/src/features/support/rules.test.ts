import { expect, test } from 'vitest';
import { basicConfig } from '@/test/fixtures-platform';
import { checkFeedback, feedbackFieldOf, picturesState, questionOf } from './rules';

test('topic and content are required', () => {
  expect(checkFeedback({ topic: ' ', content: '' })).toEqual({
    topic: 'topic_required',
    content: 'content_required',
  });
  expect(checkFeedback({ topic: 'a', content: 'b' })).toEqual({});
});

test('pictures go along once all have arrived', () => {
  expect(picturesState([])).toBe('ready');
  expect(picturesState(['done', 'uploading'])).toBe('pending');
  expect(picturesState(['uploading', 'failed'])).toBe('failed');
});

test('an error of the server finds its part of the form', () => {
  expect(feedbackFieldOf('content')).toBe('content');
  expect(feedbackFieldOf('images[2]')).toBe('images');
  expect(feedbackFieldOf(null)).toBeNull();
});

test('a question knows its neighbours', () => {
  const { faq_config } = basicConfig();
  expect(questionOf(faq_config, 'faq-1')).toMatchObject({ previous: null, next: { id: 'faq-2' } });
  expect(questionOf(faq_config, 'faq-5')).toMatchObject({ previous: { id: 'faq-4' }, next: null });
  expect(questionOf(faq_config, 'nope')).toBeNull();
  expect(questionOf([], null)).toBeNull();
});
