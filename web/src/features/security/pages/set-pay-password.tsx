import { PayPasswordPage } from '../components/pay-password-page';

export default function SetPayPasswordPage() {
  return <PayPasswordPage changes={false} />;
}
