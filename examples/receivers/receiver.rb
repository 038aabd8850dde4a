require 'json'
require 'openssl'
require 'webrick'

SECRET = ENV.fetch('SHORTY_WEBHOOK_SECRET')

def signed?(request, body)
  id, timestamp, signature = %w[id timestamp signature].map { |name| request["webhook-#{name}"].to_s }
  return false unless timestamp.match?(/\A\d{1,15}\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > 300

  hmac = OpenSSL::HMAC.digest('SHA256', SECRET, "#{id}.#{timestamp}.".b + body.b)
  expected = "v1,#{[hmac].pack('m0')}"
  signature.split.map { |each| OpenSSL.secure_compare(expected, each) }.any?
end

server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: 3000)
server.mount_proc '/hook' do |request, response|
  body = +''
  request.body { |chunk| (body << chunk).bytesize > 1_048_576 and raise WEBrick::HTTPStatus[413] }
  raise WEBrick::HTTPStatus[401] unless signed?(request, body)

  puts JSON.parse(body)['type']
  response.status = 204
end
server.start
