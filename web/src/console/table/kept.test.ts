import { beforeEach, expect, test } from 'vitest';
import { dropView, keepColumns, keepView, keptColumns, keptViews } from './kept';

beforeEach(() => localStorage.clear());

test('columns and views are kept by member and list, beside each other', () => {
  keepColumns('ada', '/admin/user/list', { email: true });
  keepView('ada', '/admin/user/list', { name: 'Disabled', search: 'state=disabled' });
  expect(keptColumns('ada', '/admin/user/list')).toEqual({ email: true });
  expect(keptViews('ada', '/admin/user/list')).toEqual([{ name: 'Disabled', search: 'state=disabled' }]);
  expect(keptViews('ben', '/admin/user/list')).toEqual([]);
  expect(keptColumns('ada', '/admin/plan/list')).toEqual({});
});

test('a name is there once, and the newest view comes first', () => {
  keepView('ada', '/admin/user/list', { name: 'One', search: 'a=1' });
  keepView('ada', '/admin/user/list', { name: 'Two', search: 'a=2' });
  const views = keepView('ada', '/admin/user/list', { name: 'One', search: 'a=3' });
  expect(views.map(({ name, search }) => [name, search])).toEqual([
    ['One', 'a=3'],
    ['Two', 'a=2'],
  ]);
  expect(dropView('ada', '/admin/user/list', 'One').map(({ name }) => name)).toEqual(['Two']);
});
