import { PayPasswordPage } from '../components/pay-password-page';

export default function EditPayPasswordPage() {
  return <PayPasswordPage changes />;
}
