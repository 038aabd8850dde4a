require 'json'
require 'openssl'
require 'pstore'
require 'webrick'

SECRET = ENV.fetch('SHORTY_WEBHOOK_SECRET')
HANDLED = PStore.new('deliveries.pstore', true)

def signed?(request, body)
  id, timestamp, signature = %w[id timestamp signature].map { |name| request["webhook-#{name}"].to_s }
  return false unless timestamp.match?(/\A\d{1,15}\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > 300

  hmac = OpenSSL::HMAC.digest('SHA256', SECRET, "#{id}.#{timestamp}.".b + body.b)
  expected = "v1,#{[hmac].pack('m0')}"
  signature.split.map { |each| OpenSSL.secure_compare(expected, each) }.any?
end

def handle_once(delivery_id, event)
  # A repeat waits for the end of the transaction. An error in it removes the id again.
  HANDLED.transaction do
    HANDLED.roots.each { |id| HANDLED.delete(id) if HANDLED[id] < Time.now.to_i - 172_800 }
    next if HANDLED[delivery_id]

    puts event['type']
    $stdout.flush
    HANDLED[delivery_id] = Time.now.to_i
  end
end

server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: 3000)
server.mount_proc '/hook' do |request, response|
  body = +''
  request.body { |chunk| (body << chunk).bytesize > 1_048_576 and raise WEBrick::HTTPStatus[413] }
  raise WEBrick::HTTPStatus[401] unless signed?(request, body)

  handle_once(request['webhook-id'], JSON.parse(body))
  response.status = 204
end
server.start
