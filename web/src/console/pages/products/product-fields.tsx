import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import {
  AmountInput,
  ChoiceInput,
  LongInput,
  ManyInput,
  NumberInput,
  ReasonInput,
  TextInput,
} from '../../act/inputs';
import { PlacementsInput } from './placements-input';
import styles from './product-fields.module.css';
import { CONTENT_TYPES, GENDERS, GOALS, LIMITS } from './product-values';

/** Everything that staff say of a product, in groups. */
export function ProductFields() {
  return (
    <>
      <Basics />
      <Audience />
      <Limits />
      <Placing />
      <Advertisement />
      <Pictures />
      <ReasonInput optional />
    </>
  );
}

function Basics() {
  const { t } = useTranslation('console');
  return (
    <Group title={t('products.basics')}>
      <TextInput name="name" label={t('products.name')} limit={LIMITS.name} />
      <TextInput name="category" label={t('products.category')} limit={LIMITS.category} />
      <div className={styles.whole}>
        <LongInput name="description" label={t('products.description')} limit={LIMITS.description} />
      </div>
      <div className={styles.whole}>
        <LongInput
          name="game_description"
          label={t('products.game_description')}
          limit={LIMITS.description}
          optional
        />
      </div>
      <div className={styles.whole}>
        <ManyInput
          name="content_types"
          label={t('products.content')}
          options={CONTENT_TYPES.map((value) => ({ value, label: t(`products.content_types.${value}`) }))}
        />
      </div>
      <AmountInput name="put_min" label={t('products.put_min')} />
      <AmountInput name="put_max" label={t('products.put_max')} />
    </Group>
  );
}

function Audience() {
  const { t } = useTranslation('console');
  return (
    <Group title={t('products.audience')}>
      <ChoiceInput
        name="gender"
        label={t('products.gender')}
        options={GENDERS.map((value) => ({ value, label: t(`products.genders.${value}`) }))}
      />
      <TextInput
        name="regions"
        label={t('products.regions')}
        hint={t('products.regions_hint')}
        limit={LIMITS.regions}
        optional
      />
      <NumberInput name="age_min" label={t('products.age_min')} />
      <NumberInput name="age_max" label={t('products.age_max')} />
    </Group>
  );
}

function Limits() {
  const { t } = useTranslation('console');
  return (
    <Group title={t('products.limits')} text={t('products.limits_text')}>
      <NumberInput
        name="return_max_percent"
        label={t('products.return_max_input')}
        hint={t('products.return_max_hint')}
      />
      <AmountInput name="revenue_per_thousand_max" label={t('products.per_thousand')} />
    </Group>
  );
}

function Placing() {
  const { t } = useTranslation('console');
  return (
    <Group title={t('products.placing')}>
      <ChoiceInput
        name="goal"
        label={t('products.goal')}
        options={GOALS.map((value) => ({ value, label: t(`products.goals.${value}`) }))}
      />
      <div className={styles.whole}>
        <PlacementsInput />
      </div>
    </Group>
  );
}

function Advertisement() {
  const { t } = useTranslation('console');
  return (
    <Group title={t('products.advertisement')}>
      <TextInput
        name="ad_title"
        label={t('products.ad_title')}
        hint={t('products.ad_title_hint')}
        limit={LIMITS.headline}
        optional
      />
      <TextInput
        name="ad_picture"
        label={t('products.ad_picture')}
        hint={t('products.ad_picture_hint')}
        limit={LIMITS.address}
        optional
      />
      <TextInput
        name="ad_destination"
        label={t('products.ad_destination')}
        hint={t('products.ad_destination_hint')}
        limit={LIMITS.address}
        optional
      />
    </Group>
  );
}

function Pictures() {
  const { t } = useTranslation('console');
  return (
    <Group title={t('products.pictures')}>
      <TextInput
        name="icon_url"
        label={t('products.icon')}
        hint={t('products.icon_hint')}
        limit={LIMITS.address}
        optional
      />
      <TextInput
        name="cover_url"
        label={t('products.cover')}
        hint={t('products.cover_hint')}
        limit={LIMITS.address}
        optional
      />
    </Group>
  );
}

function Group({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.group} aria-labelledby={id}>
      <h3 className={styles.title} id={id}>
        {title}
      </h3>
      {text ? <p className={styles.text}>{text}</p> : null}
      <div className={styles.fields}>{children}</div>
    </section>
  );
}
